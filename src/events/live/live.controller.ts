import { Controller, Get, Headers, Req, Res, StreamableFile, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { KeyGuard } from '../../organizations/api-key.guard.js';
import { CurrentCaller } from '../../organizations/current-caller.js';
import { RespondsWithEvents } from '../../platform/http/unread-responses.js';
import { LiveConnections } from './live-connections.js';
import { liveDocs } from './live-docs.js';

@Controller('api/live')
@UseGuards(KeyGuard)
export class LiveController {
  constructor(private readonly connections: LiveConnections) {}

  @Get()
  @RespondsWithEvents()
  @liveDocs.connect
  connect(
    @CurrentCaller() { organizationId }: Caller,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): StreamableFile {
    const events = this.connections.connect(request, organizationId, lastEventId);
    void reply.header('content-type', 'text/event-stream; charset=utf-8');
    // Proxies that buffer responses would delay events.
    void reply.header('x-accel-buffering', 'no');
    return new StreamableFile(events);
  }
}
