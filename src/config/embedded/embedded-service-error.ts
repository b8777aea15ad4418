/** Thrown when an embedded service cannot be had; its message is one line that says what to do. */
export class EmbeddedServiceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedServiceError';
  }
}
