#include "mercer/dual/feature_loops.hpp"

#include <cstring>
#include <type_traits>

#include "mercer/gram/row_kernels.hpp"

namespace mercer {

namespace baseline {
extern const FeatureLoops<float> float_features;
extern const FeatureLoops<double> double_features;
}  // namespace baseline
#ifdef MERCER_X86_LEVELS
namespace x86_64_v3 {
extern const FeatureLoops<float> float_features;
extern const FeatureLoops<double> double_features;
}  // namespace x86_64_v3
namespace x86_64_v4 {
extern const FeatureLoops<float> float_features;
extern const FeatureLoops<double> double_features;
}  // namespace x86_64_v4
#endif

template <class T>
const FeatureLoops<T>& feature_loops() {
  const auto choose = [](const FeatureLoops<float>& single, const FeatureLoops<double>& twice) -> const FeatureLoops<T>& {
    if constexpr (std::is_same_v<T, float>) return single;
    else return twice;
  };
#ifdef MERCER_X86_LEVELS
  const char* name = active_table().name;
  if (std::strcmp(name, "x86-64-v4") == 0) return choose(x86_64_v4::float_features, x86_64_v4::double_features);
  if (std::strcmp(name, "x86-64-v3") == 0) return choose(x86_64_v3::float_features, x86_64_v3::double_features);
#endif
  return choose(baseline::float_features, baseline::double_features);
}

template const FeatureLoops<float>& feature_loops<float>();
template const FeatureLoops<double>& feature_loops<double>();

}  // namespace mercer
