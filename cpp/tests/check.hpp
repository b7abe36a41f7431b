// A test program in a few lines: TEST(name) { CHECK(...); } registers itself, main.cpp runs them all.
#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*body)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

inline int failures = 0;

inline void fail(const char* file, int line, const std::string& what) {
  constexpr int shown = 40;  // a broken loop fails in every entry: the first ones tell the story
  if (failures++ < shown) std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
}

struct Register {
  Register(const char* name, void (*body)()) { tests().push_back({name, body}); }
};

}  // namespace check

#define TEST(name)                                                    \
  static void test_##name();                                          \
  static const check::Register registered_##name(#name, test_##name); \
  static void test_##name()

#define CHECK(...)                                                                 \
  do {                                                                             \
    if (!(__VA_ARGS__)) check::fail(__FILE__, __LINE__, "expected " #__VA_ARGS__); \
  } while (false)

#define CHECK_THROWS(type, ...)                                                                         \
  do {                                                                                                  \
    try {                                                                                               \
      __VA_ARGS__;                                                                                      \
      check::fail(__FILE__, __LINE__, "expected " #type " from " #__VA_ARGS__);                         \
    } catch (const type&) {                                                                             \
    } catch (...) {                                                                                     \
      check::fail(__FILE__, __LINE__, "expected " #type ", got another exception, from " #__VA_ARGS__); \
    }                                                                                                   \
  } while (false)
