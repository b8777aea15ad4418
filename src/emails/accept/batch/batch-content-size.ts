import { DomainError } from '../../../platform/errors/domain-error.js';
import { contentBytesOf } from '../email-budget.js';
import type { NewEmail } from '../new-email.js';

const MEGABYTE = 1024 * 1024;
/** As many as a body may have: variables must not make more of a batch, because one statement stores it. */
const MAX_BYTES = 30 * MEGABYTE;

class BatchTooLargeError extends DomainError {
  constructor() {
    super(
      'too-large',
      `With this message the batch has more than ${MAX_BYTES / MEGABYTE} MB of HTML, text and metadata: send it in another request`,
    );
  }
}

/** The bytes of the emails of one batch, once their variables are filled in. */
export class BatchContentSize {
  private bytes = 0;
  /** Of emails that did not fit. */
  private refusedBytes = 0;

  /** @param reserveMemory of the request */
  constructor(private readonly reserveMemory: (bytes: number) => void = () => undefined) {}

  /**
   * Ends the work on a batch far above the limit: once emails that did not fit have as many bytes as a batch may have,
   * no further ones are composed. Up to then a smaller one may still fit.
   * @throws BatchTooLargeError
   */
  requireRoom(): void {
    if (this.refusedBytes > MAX_BYTES) throw new BatchTooLargeError();
  }

  /**
   * Reserves memory for content that variables have made, if it fits into the batch.
   * @throws BatchTooLargeError, TooManyBodyBytesError, BodyShareExceededError
   */
  readonly reserve = (bytes: number): void => {
    this.requireFits(bytes);
    this.reserveMemory(bytes);
  };

  /** @throws BatchTooLargeError for an email that does not fit any more; it then does not count */
  add(email: NewEmail): void {
    const bytes = contentBytesOf(email);
    this.requireFits(bytes);
    this.bytes += bytes;
  }

  private requireFits(bytes: number): void {
    if (this.bytes + bytes <= MAX_BYTES) return;
    this.refusedBytes += bytes;
    throw new BatchTooLargeError();
  }
}
