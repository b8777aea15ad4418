import { relative, sep } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

/** Folders whose tests wait for processes, deadlines and schedules more than they compute; the longest waits first. */
const WAITING = ['e2e', 'integration', 'webhooks', 'cli', 'flusher', 'worker'];

/** Starts what waits before what computes: computing fills the gaps, and no long wait is left over at the end. */
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
