import { DomainError, InvalidFieldError } from '../../platform/errors/domain-error.js';
import { RenderingBusyError, RenderingLimitError, RequesterGoneError } from '../../rendering/rendering-limit-error.js';

/** A little longer than the rendering of one document can take. */
const RETRY_AFTER_SECONDS = 3;

class TooManyRenderingsError extends DomainError {
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor() {
    super(
      'too-many-requests',
      'Too many documents of your organization wait to be rendered: please send fewer at once',
    );
  }
}

/** Maps a rendering error to the error for the API client; returns any other error unchanged. */
export function renderingProblem(error: unknown): unknown {
  if (error instanceof RenderingLimitError) return new InvalidFieldError('htmlContent', error.message);
  if (error instanceof RenderingBusyError) return new TooManyRenderingsError();
  return error instanceof RequesterGoneError ? new DomainError('unavailable', error.message) : error;
}
