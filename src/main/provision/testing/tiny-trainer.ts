/**
 * For tests: sources that compile in a second: a program that prints a trainer's version and forwards every other
 * command to another program. Replaces `native/` where a test is about building on a node.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function writeTinyTrainer(
  folder: string,
  options: { others: string; version?: string; broken?: boolean },
): string {
  mkdirSync(join(folder, 'src'), { recursive: true });
  mkdirSync(join(folder, 'build'), { recursive: true });
  mkdirSync(join(folder, 'tests'), { recursive: true });
  const version = options.version ?? '0.1.0';
  writeFileSync(
    join(folder, 'CMakeLists.txt'),
    `cmake_minimum_required(VERSION 3.18)
project(tiny VERSION ${version} LANGUAGES CXX)
option(RINGLAB_TESTS "Build the tests" ON)
if(RINGLAB_TESTS)
  message(FATAL_ERROR "the tests were not sent")
endif()
add_executable(ringlab-train src/main.cpp)
`,
  );
  writeFileSync(
    join(folder, 'src', 'main.cpp'),
    `#include <unistd.h>
#include <cstdio>
#include <string>
int main(int count, char** arguments) {
  if (count > 1 && std::string(arguments[1]) == "--version") {
    std::puts("ringlab-train ${version} libtorch 1.13.0");
    return 0;
  }
  ${options.broken === true ? 'this does not compile;' : ''}
  execv(${JSON.stringify(options.others)}, arguments);
  return 1;
}
`,
  );
  // Not to be sent.
  writeFileSync(join(folder, 'build', 'stale.cpp'), '#error');
  writeFileSync(join(folder, 'tests', 'CMakeLists.txt'), 'message(FATAL_ERROR "tests")\n');
  return folder;
}
