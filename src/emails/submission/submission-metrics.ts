import { Counter, Gauge, type Registry } from 'prom-client';

/** The steps of a conversation that can be refused. */
const SUBMISSION_STEPS = ['connection', 'login', 'sender', 'recipient', 'message'] as const;
export type SubmissionStep = (typeof SUBMISSION_STEPS)[number];

/** `temporary` refusals ask the client to try again. */
const SUBMISSION_REFUSALS = ['permanent', 'temporary'] as const;

/** Metrics of the SMTP listener that accepts mail of organizations. */
export class SubmissionMetrics {
  private readonly emails: Counter;
  private readonly refusals: Counter<'step' | 'kind'>;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.emails = new Counter({
      name: 'mailbeacon_submission_emails_total',
      help: 'Emails accepted over SMTP, one per recipient of a message',
      registers,
    });
    this.refusals = new Counter({
      name: 'mailbeacon_submission_refusals_total',
      help: 'Refusals of the SMTP submission by step of the conversation; clients repeat what was refused temporarily',
      labelNames: ['step', 'kind'],
      registers,
    });
    for (const step of SUBMISSION_STEPS) for (const kind of SUBMISSION_REFUSALS) this.refusals.inc({ step, kind }, 0);
  }

  countEmails(count: number): void {
    this.emails.inc(count);
  }

  countRefusal(step: SubmissionStep, responseCode: number): void {
    this.refusals.inc({ step, kind: responseCode < 500 ? 'temporary' : 'permanent' });
  }

  observeConnections(read: () => number): void {
    new Gauge({
      name: 'mailbeacon_submission_connections',
      help: 'Open connections of the SMTP submission',
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}
