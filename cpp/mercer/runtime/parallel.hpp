// Threads: one OpenMP team per call, no state between calls.
#pragma once

#include <cstdint>
#include <functional>

namespace mercer {

// Asked now and then by the calling thread; true stops the work and makes the call throw Interrupted.
using Cancelled = std::function<bool()>;

struct Interrupted {};

// Threads that OpenMP would use now, at least 1; always 1 in a process forked from one that had used threads,
// because GNU's OpenMP runtime does not survive a fork.
int max_threads();

enum class Schedule { dynamic, cyclic };  // cyclic: task t runs on thread t mod n, so sums do not depend on timing

// Runs work(task, thread) for 0 ≤ task < tasks. The first exception of any thread is rethrown here.
// `stop()` inside the work of a long task lets it leave early.
class TaskLoop {
 public:
  TaskLoop(int threads, const Cancelled& cancelled);
  void run(std::int64_t tasks, Schedule schedule, const std::function<void(std::int64_t task, int thread)>& work);
  // Polls for cancellation (on the calling thread, at most every 50 ms) and says whether to leave.
  bool stop();
  int threads() const { return threads_; }

 private:
  struct State;
  int threads_;
  const Cancelled& cancelled_;
  State* state_ = nullptr;
};

}  // namespace mercer
