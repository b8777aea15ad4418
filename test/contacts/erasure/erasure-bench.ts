import type { SendResponse } from '../../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import type { RecipientEvent } from '../../../src/events/recipient-event.js';
import { appendEntry } from '../../../src/events/stream/append-entry.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { connectForBlocking, type RedisConnection } from '../../../src/platform/redis/connect.js';
import { CapturedLog } from '../../support/captured-log.js';
import { eventually } from '../../support/eventually.js';
import { findInFiles, findInRedis, findInTables, hasOne } from '../../support/find-everywhere.js';
import { PrivateRedis } from '../../support/private-redis.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../../support/service.js';

/** A service with everything that may keep an address: its tables, its Redis, its spool and its log. */
export class ErasureBench {
  private constructor(
    readonly service: TestService,
    readonly client: TestClient,
    readonly log: CapturedLog,
    private readonly server: PrivateRedis,
    private readonly redis: RedisConnection,
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<ErasureBench> {
    const server = await PrivateRedis.start();
    const log = new CapturedLog('trace', ['api', 'tracking', 'worker', 'flusher']);
    const service = await TestService.start({
      logger: log.logger,
      environment: {
        REDIS_URL: server.url,
        WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
        WEBHOOK_ALLOW_HTTP: 'true',
        RATE_LIMIT_PER_MINUTE: '0',
        ...AWAIT_RESULT,
        ...environment,
      },
    });
    const redis = connectForBlocking(server.url);
    return new ErasureBench(service, await service.organization(), log, server, redis);
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    await this.service.stop();
    await this.server.remove();
  }

  async send(fields: object, headers: Record<string, string> = {}): Promise<SendResponse> {
    const message = { from: 'Acme <news@acme.example>', subject: 'The engine', htmlContent: '<p>Hello</p>' };
    const { status, body } = await this.client.post<SendResponse>('/api/send', { ...message, ...fields }, headers);
    expect({ status, error: (body as { error?: string }).error }).toEqual({
      status: status < 300 ? status : 200,
      error: undefined,
    });
    return body;
  }

  async read(id: string): Promise<EmailDetail> {
    return (await this.client.get<EmailDetail>(`/api/emails/${id}`)).body;
  }

  /** Appends events to the stream, as the edge and the receivers of reports do. */
  async append(...events: RecipientEvent[]): Promise<void> {
    await appendEntry(this.redis, packEntry(events.map(encodeEvent)));
  }

  /**
   * Erases a person and waits for the end: long work continues in the background.
   * @returns false when nothing was known about them
   */
  async erase(address: string, client = this.client): Promise<boolean> {
    const first = await this.tryToErase(address, client);
    if (first === 202) await eventually(async () => (await this.tryToErase(address, client)) !== 202);
    return first !== 404;
  }

  /** Repeats a request whose wait for a lock took too long: on a busy machine others hold it longer. */
  private async tryToErase(address: string, client: TestClient): Promise<number> {
    const status = await eventually(async () => {
      const response = await client.delete(`/api/contacts/${encodeURIComponent(address)}`);
      return response.status !== 503 && response.status;
    });
    expect([202, 204, 404]).toContain(status);
    return status;
  }

  /** Where one of the texts is, in all that the service stores and logs. */
  async find(...texts: string[]): Promise<string[]> {
    return [
      ...(await findInTables(this.service.database, texts)),
      ...(await findInRedis(this.redis, texts)),
      ...(await findInFiles(this.service.settings.SPOOL_DIRECTORY, texts)),
      ...(hasOne(this.log.text, texts) ? ['log'] : []),
    ];
  }
}
