#include "mercer/runtime/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifndef _WIN32
#include <unistd.h>
#endif

namespace mercer {
namespace {

using Clock = std::chrono::steady_clock;

long process() {
#ifdef _WIN32
  return 0;
#else
  return static_cast<long>(getpid());
#endif
}

std::atomic<long> team_owner{0};  // the process that first ran a team, 0 before

bool forked_from_threads() {
  const long owner = team_owner.load();
  return owner != 0 && owner != process();
}

int thread_number() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

}  // namespace

int max_threads() {
#ifdef _OPENMP
  return forked_from_threads() ? 1 : std::max(1, omp_get_max_threads());
#else
  return 1;
#endif
}

struct TaskLoop::State {
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> halt{false};
  bool interrupted = false;  // written by the calling thread only
  Clock::time_point asked = Clock::now();
  std::exception_ptr error;
  std::mutex error_mutex;
};

TaskLoop::TaskLoop(int threads, const Cancelled& cancelled) : threads_(std::clamp(threads, 1, max_threads())), cancelled_(cancelled) {}

bool TaskLoop::stop() {
  State& s = *state_;
  if (thread_number() == 0 && cancelled_ && !s.interrupted) {
    const auto now = Clock::now();
    if (now - s.asked > std::chrono::milliseconds(50)) {
      s.asked = now;
      if (cancelled_()) {
        s.interrupted = true;
        s.halt = true;
      }
    }
  }
  return s.halt.load(std::memory_order_relaxed);
}

void TaskLoop::run(std::int64_t tasks, Schedule schedule, const std::function<void(std::int64_t, int)>& work) {
  State state;
  state_ = &state;
  const int team = static_cast<int>(std::min<std::int64_t>(threads_, std::max<std::int64_t>(tasks, 1)));
  const auto member = [&](int thread, int members) {
    try {
      for (std::int64_t t = thread;; t += members) {
        const std::int64_t task = schedule == Schedule::dynamic ? state.next.fetch_add(1) : t;
        if (task >= tasks || stop()) return;
        work(task, thread);
      }
    } catch (...) {
      const std::lock_guard lock(state.error_mutex);
      if (!state.error) state.error = std::current_exception();
      state.halt = true;
    }
  };
  if (team == 1) {
    member(0, 1);
  } else {
    team_owner.store(process());
#ifdef _OPENMP
#pragma omp parallel num_threads(team)
    member(omp_get_thread_num(), omp_get_num_threads());  // the runtime may grant fewer than asked
#endif
  }
  state_ = nullptr;
  if (state.error) std::rethrow_exception(state.error);
  if (state.interrupted) throw Interrupted{};
}

}  // namespace mercer
