/**
 * A document exceeds a rendering limit. The message follows the name of the field, as in "htmlContent takes longer than
 * 2000 ms to render".
 */
export class RenderingLimitError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** The message for a RangeError of the engine: the depth of the stack, or the length of a string or array. */
export const TOO_DEEP_OR_LONG = 'is nested too deeply or becomes too long';

/** The document exceeded the time limit. On a less busy host, it may succeed. */
export class RenderingTimeError extends RenderingLimitError {}

/** Too many documents of the organization are waiting. */
export class RenderingBusyError extends Error {
  constructor() {
    super('Too many documents of the organization wait to be rendered');
    this.name = 'RenderingBusyError';
  }
}

/** The client closed the connection before its document was rendered. */
export class RequesterGoneError extends Error {
  constructor() {
    super('The client disconnected before its document was rendered');
    this.name = 'RequesterGoneError';
  }
}

/** The task waited longer for a rendering thread than its requester can wait. */
export class RenderingWaitError extends Error {
  constructor() {
    super('Other documents of the organization keep the rendering threads busy');
    this.name = 'RenderingWaitError';
  }
}
