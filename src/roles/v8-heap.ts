import { setFlagsFromString } from 'node:v8';

/*
 * While modules are loaded hardly anything dies young, and V8 doubles the young generation each time, up to 32 MB,
 * which an idle process then keeps for good. V8 looks at this flag whenever it might, so that it can be told when.
 */

/** Keeps the young generation as small as it is. */
export function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Lets it grow with the work, as V8 does by itself. */
export function letYoungGenerationGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
