/** Messages for errors that Node or Fastify raise. Their own messages are not meant for clients. */
const messageOfStatus: Record<number, string> = {
  400: 'The request is malformed',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'The request took too long to arrive',
  413: 'The body is too large',
  414: 'The address is too long',
  415: 'The Content-Type is not a valid media type',
  417: 'The service does not support this Expect header',
  431: 'The request headers are too large',
};

export function statusMessageOf(status: number): string {
  return messageOfStatus[status] ?? 'The request cannot be served';
}
