import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import {
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  RECURSION_AVAILABLE,
  streamEncode,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import type { Answer, Packet } from 'dns-packet';

const NXDOMAIN = 3;
/** RFC 6891: the largest datagram that a resolver accepts unless it announces another size. */
const LARGEST_DATAGRAM = 512;

/** The response for a name: records, an RCODE, or no response at all. */
type Zone = Map<string, readonly Answer[] | { readonly rcode: number } | 'silent'>;

/** A real DNS server on loopback, over UDP and TCP on one port. */
export class DnsServer {
  readonly zone: Zone = new Map();
  /** Every query received, as in `TXT example.com`. */
  readonly queries: string[] = [];

  private constructor(
    private readonly udp: UdpSocket,
    private readonly tcp: Server,
  ) {
    udp.on('message', (message, { port, address }) => {
      const response = this.responseTo(message);
      if (!response) return;
      const whole = encode(response);
      const cut = encode({ ...response, flags: (response.flags ?? 0) | TRUNCATED_RESPONSE, answers: [] });
      udp.send(whole.length > LARGEST_DATAGRAM ? cut : whole, port, address);
    });
    tcp.on('connection', (socket) => {
      socket.on('error', () => socket.destroy());
      socket.on('data', (chunk) => {
        const response = this.responseTo(chunk.subarray(2));
        if (response) socket.end(streamEncode(response));
      });
    });
  }

  static async listen(): Promise<DnsServer> {
    const tcp = createServer().listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const udp = createSocket('udp4').bind((tcp.address() as AddressInfo).port, '127.0.0.1');
    await once(udp, 'listening');
    return new DnsServer(udp, tcp);
  }

  /** In the format of the setting DNS_SERVERS. */
  get address(): string {
    return `127.0.0.1:${this.udp.address().port}`;
  }

  /** Publishes TXT records, each given as its character strings. */
  txt(name: string, ...records: (string | string[])[]): void {
    this.zone.set(
      name,
      records.map((data) => ({ type: 'TXT', name, ttl: 60, data: [data].flat() })),
    );
  }

  /** Publishes an alias. */
  cname(name: string, target: string): void {
    this.zone.set(name, [{ type: 'CNAME', name, ttl: 60, data: target }]);
  }

  async close(): Promise<void> {
    this.udp.close();
    this.tcp.close();
    await once(this.tcp, 'close');
  }

  private responseTo(message: Buffer): Packet | undefined {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    this.queries.push(`${question?.type} ${question?.name}`);
    const found = this.zone.get(question?.name.toLowerCase() ?? '');
    if (found === 'silent') return undefined;
    const rcode = found === undefined ? NXDOMAIN : 'rcode' in found ? found.rcode : 0;
    const answers =
      found && !('rcode' in found) ? found.filter(({ type }) => type === question?.type || type === 'CNAME') : [];
    const flags = AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | rcode;
    return { id, type: 'response', flags, questions, answers: [...answers] };
  }
}
