import * as asyncHooks from 'node:async_hooks';

/**
 * Replaces the AsyncLocalStorage in which Jest keeps the current test. Jest creates one for each test file and never
 * disables it, so Node propagates the store of each of them through every promise of the process. The tests of a file
 * run one after the other, so a variable is enough. An unhandled error of an earlier test fails the test that runs when
 * it surfaces, or the whole file.
 */
class CurrentTest {
  #store;

  getStore() {
    return this.#store;
  }

  async run(store, work) {
    const outer = this.#store;
    this.#store = store;
    try {
      return await work();
    } finally {
      this.#store = outer;
    }
  }
}

export const hooksForJest = { ...asyncHooks, AsyncLocalStorage: CurrentTest };
