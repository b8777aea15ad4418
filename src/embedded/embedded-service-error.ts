import { OperatorError } from '../platform/errors/operator-error.js';

/** Thrown when an embedded service cannot be had; its message is one line that says what to do. */
export class EmbeddedServiceError extends OperatorError {}
