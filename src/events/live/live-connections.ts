import type { Readable } from 'node:stream';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { KeyCheck } from '../../organizations/key-check.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { EventStream } from '../../platform/http/event-stream.js';
import { EVENT_STREAM_MS } from '../../platform/http/unread-responses.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { LiveFeed } from './live-feed.js';
import { LiveMetrics, type LiveEnd } from './live-metrics.js';
import { LiveReader } from './live-reader.js';

const TICK_MS = 1_000;
/** In ticks. */
const HEARTBEAT = 15;
const REFRESH_MARKS = 5;
/** How long a stopping process waits for clients to receive the end. */
const DRAIN_MS = 500;

class TooManyLiveConnectionsError extends DomainError {
  override readonly retryAfterSeconds = 30;

  constructor(whose: string) {
    super('too-many-requests', `Too many live connections of this ${whose} are open: close some, or poll instead`);
  }
}

class DrainingError extends DomainError {
  override readonly retryAfterSeconds = 1;

  constructor() {
    super('unavailable', 'This process is stopping: connect again');
  }
}

interface Connection {
  readonly request: FastifyRequest;
  readonly reader: LiveReader;
  readonly stream: EventStream;
  readonly openedAt: number;
  end: LiveEnd;
}

/** The open live connections of this process: their limits, heartbeats and ends. */
@Injectable()
export class LiveConnections implements OnModuleInit, OnModuleDestroy {
  private readonly open = new Set<Connection>();
  private timer: NodeJS.Timeout | undefined;
  private ticks = 0;
  private isDraining = false;

  constructor(
    private readonly feed: LiveFeed,
    private readonly keys: KeyCheck,
    private readonly metrics: LiveMetrics,
    @Inject(SETTINGS)
    private readonly settings: Pick<Settings, 'LIVE_CONNECTIONS' | 'LIVE_CONNECTIONS_PER_ORGANIZATION'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.metrics.observe(() => this.open.size);
  }

  /** Ends every connection, so that the HTTP server can close. Clients connect to another process. */
  async onModuleDestroy(): Promise<void> {
    this.isDraining = true;
    clearInterval(this.timer);
    for (const connection of this.open) this.end(connection, 'drain');
    for (let waited = 0; this.open.size > 0 && waited < DRAIN_MS; waited += 10) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const { request } of this.open) request.raw.socket.destroy();
  }

  /** @throws TooManyLiveConnectionsError, DrainingError */
  connect(request: FastifyRequest, organizationId: string, lastEventId: string | undefined): Readable {
    this.requireRoom(organizationId);
    const stream = new EventStream();
    const reader = new LiveReader(organizationId, stream, lastEventId, () => this.drop(connection));
    const connection: Connection = { request, reader, stream, openedAt: performance.now(), end: 'client' };
    this.open.add(connection);
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
    // The response, and not the body, shows that the client has disconnected or has received everything.
    const { socket } = request.raw;
    const onDisconnected = (): void => void stream.body.destroy();
    stream.body.once('close', () => {
      // A response without a body, to HEAD, leaves the connection to further requests.
      socket.off('close', onDisconnected);
      this.close(connection);
    });
    socket.once('close', onDisconnected);
    void this.feed.add(reader);
    return stream.body;
  }

  private requireRoom(organizationId: string): void {
    if (this.isDraining) throw new DrainingError();
    const { LIVE_CONNECTIONS, LIVE_CONNECTIONS_PER_ORGANIZATION } = this.settings;
    if (this.open.size >= LIVE_CONNECTIONS) throw new TooManyLiveConnectionsError('service');
    let own = 0;
    for (const { reader } of this.open) if (reader.organizationId === organizationId) own++;
    if (own >= LIVE_CONNECTIONS_PER_ORGANIZATION) throw new TooManyLiveConnectionsError('organization');
  }

  private close(connection: Connection): void {
    if (!this.open.delete(connection)) return;
    this.feed.remove(connection.reader);
    const { end: reason, reader, openedAt } = connection;
    this.metrics.recordEnd(reason);
    const { organizationId } = reader;
    this.logger.debug(
      { organizationId, reason, ms: Math.round(performance.now() - openedAt) },
      'Live connection ended',
    );
  }

  private end(connection: Connection, reason: LiveEnd): void {
    connection.end = reason;
    connection.stream.end();
  }

  /** A client whose connection has an end already still receives it. A response that is over leaves its connection. */
  private drop(connection: Connection): void {
    if (connection.end !== 'client' || !this.open.has(connection)) return;
    connection.end = 'slow';
    connection.request.raw.socket.destroy();
  }

  private tick(): void {
    if (this.open.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    this.ticks++;
    this.feed.joinPaused();
    if (this.ticks % REFRESH_MARKS === 0) void this.feed.refreshMarks();
    for (const connection of this.open) {
      void this.recheck(connection);
      if (this.ticks % HEARTBEAT === 0 && !connection.stream.heartbeat()) this.drop(connection);
      if (performance.now() - connection.openedAt > EVENT_STREAM_MS) this.end(connection, 'age');
    }
  }

  private async recheck(connection: Connection): Promise<void> {
    if (!(await this.keys.stillAdmits(connection.request))) this.end(connection, 'refused');
  }
}
