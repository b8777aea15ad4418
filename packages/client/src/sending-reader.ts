import type { SendingState } from './api-types.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** `client.sending` */
export class SendingReader {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The state of sending: its reason, the rates of bounces and complaints, and the provider. */
  get(options?: CallOptions): Promise<SendingState> {
    return this.#transport.json({ method: 'GET', path: '/api/sending', options });
  }
}
