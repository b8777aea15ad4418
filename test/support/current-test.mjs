import * as asyncHooks from 'node:async_hooks';

/**
 * In place of the AsyncLocalStorage in which Jest keeps the test that runs: there is a new one for each test file, none
 * is ever disabled, and Node hands the store of each from every promise of the process to the next. The tests of a file
 * run one after the other, so a variable says the same. What a test left behind and nobody caught fails the test that
 * runs by then, or the whole file.
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
