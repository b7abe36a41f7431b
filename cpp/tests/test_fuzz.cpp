// The fuzz target on a fixed stream of pseudo-random bytes, for compilers without libFuzzer.
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

TEST(fuzz_programs_from_random_bytes) {
  std::mt19937_64 random(0);
  int accepted = 0;
  for (int round = 0; round < 6000; ++round) {
    std::vector<std::uint8_t> bytes(random() % 600);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
    accepted += LLVMFuzzerTestOneInput(bytes.data(), bytes.size()) == 0;
  }
  std::printf("     %d of 6000 programs were accepted\n", accepted);
  CHECK(accepted > 300);
}

}  // namespace
