import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { METRICS } from '../../platform/health/metrics.js';

export const SIGN_IN_RESULTS = ['signed-in', 'refused', 'code-required', 'throttled', 'failed'] as const;
export type SignInResult = (typeof SIGN_IN_RESULTS)[number];

@Injectable()
export class SignInMetrics {
  private readonly signIns: Counter<'result'>;

  constructor(@Inject(METRICS) registry: Registry) {
    this.signIns = new Counter({
      name: 'mailbeacon_sign_ins_total',
      help: 'Attempts of people to sign in: signed-in, refused, code-required, throttled, or failed because of an internal error',
      labelNames: ['result'],
      registers: [registry],
    });
    for (const result of SIGN_IN_RESULTS) this.signIns.inc({ result }, 0);
  }

  count(result: SignInResult): void {
    this.signIns.inc({ result });
  }
}
