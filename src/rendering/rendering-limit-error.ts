/**
 * A document is more than rendering may cost. The message goes after the name of what was rendered, as in
 * "htmlContent takes longer than 2000 ms to render".
 */
export class RenderingLimitError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** It took too long this time; on a host that is less busy the same document may fit. */
export class RenderingTimeError extends RenderingLimitError {}

/** Too many documents of the organization wait already. */
export class RenderingBusyError extends Error {
  constructor() {
    super('Too many documents of the organization wait to be rendered');
    this.name = 'RenderingBusyError';
  }
}

/** Whoever asked for the document has closed the connection before its turn came. */
export class RequesterGoneError extends Error {
  constructor() {
    super('The client has gone before its document was rendered');
    this.name = 'RequesterGoneError';
  }
}
