#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "check.hpp"
#include "mercer/gram/pairwise.hpp"
#include "reference.hpp"

namespace {

using mercer::Schedule;
using mercer::TaskLoop;
using std::chrono::milliseconds;

const mercer::Cancelled never;

TEST(parallel_runs_every_task_once) {
  for (const int threads : {1, 2, 4})
    for (const Schedule schedule : {Schedule::dynamic, Schedule::cyclic})
      for (const std::int64_t tasks : {0, 1, 3, 200}) {
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(tasks));
        TaskLoop loop(threads, never);
        std::atomic<bool> known{true};
        loop.run(tasks, schedule, [&](std::int64_t task, int thread) {
          ++seen[static_cast<std::size_t>(task)];
          if (thread < 0 || thread >= loop.threads()) known = false;
        });
        CHECK(known);
        for (const auto& count : seen) CHECK(count == 1);
      }
}

TEST(parallel_cyclic_tasks_keep_their_thread) {
  TaskLoop loop(3, never);
  std::vector<int> first(100), again(100);
  loop.run(100, Schedule::cyclic, [&](std::int64_t task, int thread) { first[static_cast<std::size_t>(task)] = thread; });
  loop.run(100, Schedule::cyclic, [&](std::int64_t task, int thread) { again[static_cast<std::size_t>(task)] = thread; });
  CHECK(first == again);
}

TEST(parallel_thread_count_is_clamped) {
  CHECK(mercer::max_threads() >= 1);
  CHECK(TaskLoop(0, never).threads() == 1);
  CHECK(TaskLoop(-7, never).threads() == 1);
  CHECK(TaskLoop(1 << 20, never).threads() == mercer::max_threads());
}

TEST(parallel_rethrows_the_exception_of_a_task) {
  for (const int threads : {1, 4})
    for (const Schedule schedule : {Schedule::dynamic, Schedule::cyclic}) {
      TaskLoop loop(threads, never);
      CHECK_THROWS(std::domain_error, loop.run(50, schedule, [](std::int64_t task, int) {
        if (task == 7) throw std::domain_error("seven");
      }));
      CHECK_THROWS(std::domain_error, loop.run(50, schedule, [](std::int64_t, int) { throw std::domain_error("all"); }));
      std::atomic<int> ran{0};
      loop.run(50, schedule, [&](std::int64_t, int) { ++ran; });  // and the loop is as good as new
      CHECK(ran == 50);
    }
}

TEST(parallel_cancellation_stops_the_loop) {
  for (const int threads : {1, 3}) {
    int asked = 0;
    const mercer::Cancelled cancelled = [&] { return ++asked > 0; };
    TaskLoop loop(threads, cancelled);
    std::atomic<int> ran{0};
    CHECK_THROWS(mercer::Interrupted, loop.run(1000, Schedule::dynamic, [&](std::int64_t, int) {
      ++ran;
      std::this_thread::sleep_for(milliseconds(5));
    }));
    CHECK(asked == 1);
    CHECK(ran < 1000);
  }
}

TEST(parallel_cancellation_reaches_inside_a_long_task) {
  const mercer::Cancelled cancelled = [] { return true; };
  TaskLoop loop(1, cancelled);
  bool left_early = false;
  CHECK_THROWS(mercer::Interrupted, loop.run(1, Schedule::dynamic, [&](std::int64_t, int) {
    for (int i = 0; i < 1000 && !left_early; ++i) {
      std::this_thread::sleep_for(milliseconds(5));
      left_early = loop.stop();
    }
  }));
  CHECK(left_early);
}

TEST(parallel_asks_seldom_and_only_on_the_calling_thread) {
  int asked = 0;
  bool elsewhere = false;
  const auto caller = std::this_thread::get_id();
  const mercer::Cancelled cancelled = [&] {
    ++asked;
    elsewhere |= std::this_thread::get_id() != caller;
    return false;
  };
  TaskLoop loop(4, cancelled);
  const auto start = std::chrono::steady_clock::now();
  loop.run(200, Schedule::cyclic, [](std::int64_t, int) { std::this_thread::sleep_for(milliseconds(3)); });
  const auto spent = std::chrono::steady_clock::now() - start;
  CHECK(asked >= 1 && asked <= spent / milliseconds(50));
  CHECK(!elsewhere);
}

// A Gram matrix of some seconds, so that the first poll finds it under way.
TEST(parallel_pairwise_calls_can_be_cancelled_and_can_fail) {
  const std::int64_t n = 3000;
  reference::Random random(0);
  reference::Sample sample(n);
  sample.dense(reference::random_matrix(random, n, 40, -1, 1));
  const mercer::Program program({{mercer::Op::anova_rbf, 0, 16, 1}}, {});
  const mercer::Problem<double> problem(program, sample.side(), sample.side(), {});
  std::vector<double> k(static_cast<std::size_t>(n * n)), v(static_cast<std::size_t>(n)), out(static_cast<std::size_t>(n));
  for (const int threads : {1, 2})
    for (const bool symmetric : {false, true}) {
      const mercer::Execution cancelled{threads, [] { return true; }};
      CHECK_THROWS(mercer::Interrupted, mercer::gram(problem, symmetric, k.data(), n, cancelled));
      CHECK_THROWS(mercer::Interrupted, mercer::matmul(problem, symmetric, v.data(), 1, out.data(), cancelled));
      const mercer::Execution broken{threads, []() -> bool { throw std::runtime_error("asked in vain"); }};
      CHECK_THROWS(std::runtime_error, mercer::gram(problem, symmetric, k.data(), n, broken));
      CHECK_THROWS(std::runtime_error, mercer::matmul(problem, symmetric, v.data(), 1, out.data(), broken));
    }
}

#ifndef _WIN32
TEST(parallel_a_forked_child_works_alone) {
  TaskLoop(2, never).run(8, Schedule::dynamic, [](std::int64_t, int) {});
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a hung child ends, and the test fails
    int ran = 0;
    TaskLoop loop(4, never);
    loop.run(100, Schedule::dynamic, [&](std::int64_t, int) { ++ran; });
    _exit(ran == 100 && loop.threads() == 1 ? 0 : 1);
  }
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

}  // namespace
