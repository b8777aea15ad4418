/** A file or stream to send. A stream cannot be sent twice, so its call is not retried. */
export type Upload = string | Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

export interface UploadBody {
  readonly type: string;
  readonly content: Upload;
}

export function isStream(content: Upload): content is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> {
  return content instanceof ReadableStream || (typeof content === 'object' && Symbol.asyncIterator in content);
}

type FetchBody = NonNullable<RequestInit['body']>;

/** The body for `fetch`. Not every `fetch` accepts an async iterable, such as a Node stream. */
export function fetchBody(content: Upload): FetchBody {
  if (!isStream(content) || content instanceof ReadableStream) return content as FetchBody;
  const iterator = content[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

/** The service allows ten minutes for a file, in both directions. */
export const FILE_TIMEOUT_MS = 600_000;
