import { relative, sep } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

/** Folders whose tests mostly wait for processes, deadlines and schedules; the longest wait comes first. */
const WAITING = ['e2e', 'integration', 'webhooks', 'cli', 'roles'];

/** Starts the waiting tests first: tests that compute fill the gaps, and no long wait remains at the end. */
export default class WaitingFirst extends TestSequencer {
  sort(tests) {
    const rank = ({ path, context }) => {
      const [folder] = relative(context.config.rootDir, path).split(sep).slice(1);
      const at = WAITING.indexOf(folder);
      return at === -1 ? WAITING.length : at;
    };
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
}
