/** A negative reply of an SMTP server. */
export class SmtpRefusal extends Error {
  /** @param text starts with the enhanced status code (RFC 3463) */
  constructor(
    readonly responseCode: number,
    text: string,
  ) {
    super(text);
    this.name = 'SmtpRefusal';
  }
}
