// Progress of a long solution: reports to an observer, which may ask the solver to stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

namespace mercer {

class Progress {
 public:
  // tell(done, violation): machines solved so far and the violation of the current one; true asks to end early. Called by
  // the thread that made this object only, at most every 50 ms.
  using Tell = std::function<bool(std::int64_t done, double violation)>;
  explicit Progress(Tell tell) : tell_(std::move(tell)) {}

  void round(double violation) {
    const auto now = std::chrono::steady_clock::now();
    if (std::this_thread::get_id() != owner_ || halted() || now - told_ < std::chrono::milliseconds(50)) return;
    told_ = now;
    if (tell_(done_.load(), violation)) halt_ = true;
  }
  void machine_done() { ++done_; }
  bool halted() const { return halt_.load(std::memory_order_relaxed); }

 private:
  Tell tell_;
  std::thread::id owner_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
  std::atomic<std::int64_t> done_{0};
  std::atomic<bool> halt_{false};
};

}  // namespace mercer
