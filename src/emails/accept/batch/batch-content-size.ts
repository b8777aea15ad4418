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

  /** @param reserveMemory of the request */
  constructor(private readonly reserveMemory: (bytes: number) => void = () => undefined) {}

  /**
   * Reserves memory for content that variables have made, if it fits into the batch.
   * @throws BatchTooLargeError, TooManyBodyBytesError, BodyShareExceededError
   */
  readonly reserve = (bytes: number): void => {
    if (this.bytes + bytes > MAX_BYTES) throw new BatchTooLargeError();
    this.reserveMemory(bytes);
  };

  /** @throws BatchTooLargeError for an email that does not fit any more; it then does not count */
  add(email: NewEmail): void {
    const bytes = this.bytes + contentBytesOf(email);
    if (bytes > MAX_BYTES) throw new BatchTooLargeError();
    this.bytes = bytes;
  }
}
