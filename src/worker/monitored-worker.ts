import { Worker, type Processor, type WorkerOptions } from 'bullmq';
import { EndWhileAway } from '../platform/redis/end-while-away.js';

/** A consumer that knows when it last asked for a job: being connected and running does not show that it does. */
export class MonitoredWorker extends Worker {
  private askedAt = Date.now();
  private readonly connections: EndWhileAway;

  constructor(name: string, processor: string | URL | null | Processor, options: WorkerOptions) {
    const connections = new EndWhileAway();
    super(name, processor, { ...options, connection: connections.apply(options.connection) });
    this.connections = connections;
  }

  /** When it last asked for a job, in milliseconds since the Unix epoch; undefined while its hands are full. */
  get lastProgressAt(): number | undefined {
    return this.lockManager.getActiveJobCount() >= this.concurrency ? undefined : this.askedAt;
  }

  /** Whatever the queue answers comes by here, also that it has nothing. */
  protected override nextJobFromJobData(...answer: Parameters<Worker['nextJobFromJobData']>) {
    this.askedAt = Date.now();
    return super.nextJobFromJobData(...answer);
  }

  /** Ends within the time of its jobs, also while Redis is away. */
  override async close(force = false): Promise<void> {
    await this.connections.end([this.backend.client, this.backend.blockingClient]);
    await super.close(force);
  }
}
