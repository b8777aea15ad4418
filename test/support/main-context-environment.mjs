import process from 'node:process';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { sharesSources } from './shared-sources.mjs';

/** Where packages keep what the decorators of the product's classes say, where all test files share them. */
const OF_PACKAGES = [
  'classValidatorMetadataStorage',
  'SwaggerGlobalParametersStorage',
  'SwaggerGlobalResponsesStorage',
];

/**
 * Runs tests in the main context of the process and not in one of their own, so that packages that were loaded there
 * (see shared-packages-runtime.mjs) have the same Error, Array and Date as the tests. What a test file does to global
 * objects ends with it.
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

  /** Jest asks whether there is one; SharedPackagesRuntime does not use it. */
  getVmContext() {
    return globalThis;
  }
}
