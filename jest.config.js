import { availableParallelism } from 'node:os';
import { sharedPackages } from './test/support/shared-packages.mjs';

/** Tests are native ES modules: `npm test` passes --experimental-vm-modules to node. */
export default {
  ...sharedPackages(),
  roots: ['<rootDir>/test'],
  setupFilesAfterEnv: ['<rootDir>/test/support/check-responses.ts'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': '@swc/jest' }, // configured by .swcrc, like the build
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // Ends a test that hangs. A limit of a test's own would only judge how busy the machine is.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/test/support/waiting-first.mjs',
  // A process takes up to half a second to free its memory, and longer on a busy machine: Jest would report that
  // as a leak.
  workerGracefulExitTimeout: 10_000,
  // Tests wait for something much of the time. With three at once on two cores, a third of the processor time was idle;
  // with five, the suite took 860 instead of 1,250 s.
  maxWorkers: Math.min(8, Math.ceil(2.5 * availableParallelism())),
};
