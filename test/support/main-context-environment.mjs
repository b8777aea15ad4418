import process from 'node:process';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { sharesSources } from './shared-sources.mjs';

/** Global objects in which packages keep the metadata of decorators. All test files share them. */
const OF_PACKAGES = [
  'classValidatorMetadataStorage',
  'SwaggerGlobalParametersStorage',
  'SwaggerGlobalResponsesStorage',
];

/**
 * Runs tests in the main context of the process, so that packages loaded there (see shared-packages-runtime.mjs) use
 * the same Error, Array and Date as the tests. Changes that a test file makes to global objects are undone when it
 * ends.
 */
export default class MainContextEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #globals = Object.getOwnPropertyDescriptors(globalThis);
  #exit = process.exit;
  #environment = process.env;
  #variables = { ...process.env };

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    if (sharesSources) this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    for (const key of Reflect.ownKeys(globalThis)) {
      if (sharesSources && OF_PACKAGES.includes(key)) continue;
      if (key in this.#globals) Reflect.defineProperty(globalThis, key, this.#globals[key]);
      else Reflect.deleteProperty(globalThis, key);
    }
    process.exit = this.#exit;
    process.env = this.#environment;
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Jest checks that there is a context; SharedPackagesRuntime does not use it. */
  getVmContext() {
    return globalThis;
  }
}
