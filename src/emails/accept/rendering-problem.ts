import { DomainError, InvalidFieldError } from '../../platform/errors/domain-error.js';
import { RenderingBusyError, RenderingLimitError, RequesterGoneError } from '../../rendering/rendering-limit-error.js';

/** The longest that one document can take, and some. */
const RETRY_AFTER_SECONDS = 3;

export class TooManyRenderingsError extends DomainError {
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor() {
    super(
      'too-many-requests',
      'Too many documents of your organization wait to be rendered: please send fewer at once',
    );
  }
}

/** What an API client is told when its `htmlContent` was not rendered; other errors as they are. */
export function renderingProblem(error: unknown): unknown {
  if (error instanceof RenderingLimitError) return new InvalidFieldError('htmlContent', error.message);
  if (error instanceof RenderingBusyError) return new TooManyRenderingsError();
  return error instanceof RequesterGoneError ? new DomainError('unavailable', error.message) : error;
}
