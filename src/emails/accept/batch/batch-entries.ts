import { DomainError } from '../../../platform/errors/domain-error.js';
import type { BatchEmail, Refusals } from './accepted-batches.js';
import { waitForMessageTurn } from './message-turns.js';
import { RefusedMessageError } from './refused-message-error.js';

/** The state of a message between steps: its result so far, or why it is refused. */
export type BatchEntry<Value> = Value | DomainError;

export function isAccepted<Value>(entry: BatchEntry<Value>): entry is Value {
  return !(entry instanceof DomainError);
}

/**
 * Takes a step with each entry that no earlier step refused.
 * @param before called for every entry
 * @throws RefusedMessageError for the first refusal that refuses all
 */
export async function takeStep<From, To>(
  entries: readonly BatchEntry<From>[],
  step: (value: From, index: number) => Promise<To> | To,
  refusesAll: (problem: DomainError) => boolean = () => false,
  before: (index: number) => Promise<void> | void = () => undefined,
): Promise<BatchEntry<To>[]> {
  const results: BatchEntry<To>[] = [];
  for (const [index, entry] of entries.entries()) {
    await before(index);
    const result = isAccepted(entry) ? await orRefusal(() => step(entry, index)) : entry;
    if (result instanceof DomainError && refusesAll(result)) throw new RefusedMessageError(index, result);
    results.push(result);
  }
  return results;
}

/** The same for a step that takes long. */
export function takeStepInTurns<From, To>(
  entries: readonly BatchEntry<From>[],
  step: (value: From, index: number) => Promise<To> | To,
  refusesAll?: (problem: DomainError) => boolean,
): Promise<BatchEntry<To>[]> {
  return takeStep(entries, step, refusesAll, waitForMessageTurn);
}

/** @throws RefusedMessageError, so that nothing is stored */
export function withRefusals(
  emails: readonly BatchEntry<BatchEmail>[],
  refused: Refusals,
  refusesAll: (problem: DomainError) => boolean,
): BatchEntry<BatchEmail>[] {
  return emails.map((entry, index) => {
    const refusal = isAccepted(entry) ? refused.get(entry.email.id) : undefined;
    if (refusal && refusesAll(refusal)) throw new RefusedMessageError(index, refusal);
    return refusal ?? entry;
  });
}

async function orRefusal<Result>(step: () => Promise<Result> | Result): Promise<BatchEntry<Result>> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof DomainError) || isAboutRequest(error)) throw error;
    return error;
  }
}

/** True for a problem that other requests cause, and not the message: the same batch may be accepted later. */
function isAboutRequest({ kind }: DomainError): boolean {
  return kind === 'unavailable' || kind === 'too-many-requests';
}
