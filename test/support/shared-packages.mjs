import console from 'node:console';
import { createRequire } from 'node:module';

/** The versions of jest-runtime whose internals shared-packages-runtime.mjs was checked against. */
const CHECKED = /^30\.5\./;

/**
 * Lets test files share packages if the Jest internals have the expected version. Otherwise the tests run with the
 * default runtime, which takes a quarter more processor time.
 * @param version of jest-runtime
 */
export function sharedPackages(version = createRequire(import.meta.url)('jest-runtime/package.json').version) {
  if (CHECKED.test(version))
    return {
      testEnvironment: '<rootDir>/test/support/main-context-environment.mjs',
      runtime: '<rootDir>/test/support/shared-packages-runtime.mjs',
    };
  console.error(`Packages are loaded anew for each test file: jest-runtime ${version} has not been checked yet.`);
  return { testEnvironment: 'node' };
}
