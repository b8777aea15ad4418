import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects all garbage. The target of a new WeakRef stays until the event loop has gone on. */
export const collectGarbage = runInNewContext('gc') as () => void;
