import { UnknownSigningKeyError } from '../../links/link-token.js';
import type { DeliveryOutcome } from '../../providers/provider.js';
import { TemplateError } from '../../rendering/liquid/template-errors.js';
import { RenderingLimitError, RenderingTimeError } from '../../rendering/rendering-limit-error.js';
import { UnusableSubjectError } from './email-rendering.js';

/** An operator can restore the key and retry the email. */
const SIGNING_KEY_GONE = 'The signing key of its tracking links was deleted';

/**
 * What an error of a rendering means for its email: it fails with the reason, or is retried.
 * @param attempt number of the attempt that fails, starting at 1
 */
export function outcomeOfFailedRendering(error: unknown, attempt: number): DeliveryOutcome {
  if (error instanceof TemplateError) return { kind: 'refused', reason: `The template fails: ${error.message}` };
  if (error instanceof UnknownSigningKeyError) return { kind: 'refused', reason: SIGNING_KEY_GONE };
  if (error instanceof UnusableSubjectError) return { kind: 'refused', reason: `The ${error.message}` };
  // A busy host can cause a timeout; a document that times out on every attempt is itself the cause.
  const isFinal = error instanceof RenderingLimitError && !(error instanceof RenderingTimeError && attempt < 5);
  if (isFinal) return { kind: 'refused', reason: `htmlContent ${error.message}` };
  return { kind: 'retry', reason: 'The email could not be rendered' };
}
