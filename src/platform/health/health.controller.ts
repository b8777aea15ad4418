import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Liveness, type LivenessReport } from './liveness.js';
import { Readiness, type ReadinessReport } from './readiness.js';

@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly liveness: Liveness,
  ) {}

  @Get('health/live')
  async live(@Res({ passthrough: true }) reply: FastifyReply): Promise<LivenessReport> {
    const report = await this.liveness.report();
    if (report.status !== 'live') void reply.status(503);
    return report;
  }

  @Get('health/ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessReport> {
    const report = await this.readiness.report();
    if (!report.ready) void reply.status(503);
    return report;
  }
}
