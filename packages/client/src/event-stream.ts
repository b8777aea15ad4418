/** The service sends something at least every 15 seconds: after this time, the connection is dead. */
const SILENCE_MS = 40_000;

export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** The server-sent events of a response. Throws when the connection breaks or stops receiving data. */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ReceivedEvent, void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const data = fieldOf(block, 'data');
        if (data !== undefined) yield { id: fieldOf(block, 'id'), data };
      }
    }
  } finally {
    // Also closes the connection when the caller stops reading.
    void reader.cancel().catch(() => undefined);
  }
}

function fieldOf(block: string, name: string): string | undefined {
  const line = block.split('\n').find((one) => one.startsWith(`${name}: `));
  return line?.slice(name.length + 2);
}

async function inTime<Result>(reading: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the connection has fallen silent')), SILENCE_MS);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
