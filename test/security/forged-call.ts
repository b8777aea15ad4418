import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '../support/eventually.js';
import type { TestService } from '../support/service.js';
import { EventWebhookKey, SENDGRID_EVENTS_PATH } from '../support/sendgrid-calls.js';

const MEGABYTE = 1024 * 1024;

/** Bytes of request bodies that the service holds. */
export async function heldBytes({ metrics }: TestService): Promise<number> {
  const text = await metrics.getSingleMetricAsString('mailbeacon_http_body_bytes');
  return Number(/kind="held"\} (\d+)/.exec(text)![1]);
}

interface Origin {
  readonly localAddress: string;
  readonly forwardedFor?: string;
}

/** A call that SendGrid did not sign, and that never ends. */
export class ForgedCall {
  private response = '';
  private readonly socket: Socket;

  private constructor(port: number, localAddress: string) {
    this.socket = connect({ port, host: '127.0.0.1', localAddress });
    this.socket.on('data', (data: Buffer) => (this.response += data.toString('latin1'))).on('error', () => {});
  }

  /** Resolves once its bytes are held or refused. */
  static async start(service: TestService, bytes: number, { localAddress, forwardedFor }: Origin): Promise<ForgedCall> {
    const call = new ForgedCall(service.settings.PORT, localAddress);
    await once(call.socket, 'connect');
    const fields = { ...new EventWebhookKey().sign(''), ...(forwardedFor && { 'x-forwarded-for': forwardedFor }) };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const heldBefore = await heldBytes(service);
    call.socket.write(`POST ${SENDGRID_EVENTS_PATH} HTTP/1.1\r\nhost: x\r\n${lines.join('')}`);
    call.socket.write(`content-length: ${10 * MEGABYTE}\r\n\r\n[${' '.repeat(bytes)}`);
    await eventually(async () => call.response !== '' || (await heldBytes(service)) > heldBefore + bytes);
    return call;
  }

  /** Undefined while the service holds the bytes. */
  get status(): number | undefined {
    return this.response === '' ? undefined : Number(this.response.split(' ')[1]);
  }

  end(): void {
    this.socket.destroy();
  }
}
