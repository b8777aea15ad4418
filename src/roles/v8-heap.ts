import { setFlagsFromString } from 'node:v8';

/*
 * While modules load, few objects die young, so V8 keeps doubling the young generation, up to 32 MB. An idle process
 * never shrinks it again. V8 reads this flag before each growth, so it can be changed at runtime.
 */

/** Keeps the young generation at its current size. */
export function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Restores V8's default growth. */
export function letYoungGenerationGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}

/**
 * Keeps the compiled code of functions that have not run for a while. V8 would drop it and interpret them again: with
 * rests between loads, sending took about a sixth more processor time. An idle process has the same memory either way.
 */
export function keepCompiledCode(): void {
  setFlagsFromString('--no-flush-bytecode');
}
