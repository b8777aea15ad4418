import { OperatorError } from '../platform/errors/operator-error.js';

/** Thrown when an embedded service is not available. Its message states the remedy on one line. */
export class EmbeddedServiceError extends OperatorError {}
