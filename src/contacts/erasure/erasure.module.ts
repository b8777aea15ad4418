import { Module } from '@nestjs/common';
import { ErasureBacklog } from './erasure-backlog.js';
import { ErasureMetrics } from './erasure-metrics.js';
import { ErasureRunner } from './erasure-runner.js';
import { ErasureSteps } from './erasure-steps.js';

/** Runs the steps of erasures, for requests and for the worker. */
@Module({ providers: [ErasureMetrics, ErasureSteps], exports: [ErasureSteps] })
export class ErasureModule {}

/** Continues erasures, for the worker. */
@Module({ imports: [ErasureModule], providers: [ErasureBacklog, ErasureRunner] })
export class ErasureRunnerModule {}
