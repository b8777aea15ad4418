import { Injectable } from '@nestjs/common';
import { TooManyRequestsError } from '../../platform/http/too-many-requests-error.js';
import { CodeRequiredError, SignInRefusedError } from './sign-in-errors.js';
import { countOnly, SignInLimits, type SignInSource } from './sign-in-limits.js';
import { SignInMetrics, type SignInResult } from './sign-in-metrics.js';

/** Limits and counts attempts to sign in. */
@Injectable()
export class SignInAttempts {
  constructor(
    private readonly limits: SignInLimits,
    private readonly metrics: SignInMetrics,
  ) {}

  /**
   * An attempt that succeeds, or lacks only the code, does not count against the limits.
   * @throws TooManyRequestsError
   */
  async run<Result>(source: SignInSource, work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await this.limit(source, work);
      this.metrics.count('signed-in');
      return result;
    } catch (error) {
      this.metrics.count(resultOf(error));
      throw error;
    }
  }

  /** The same for requests before a sign-in. */
  async limit<Result>(source: SignInSource, work: () => Promise<Result>): Promise<Result> {
    return countOnly(SignInRefusedError, await this.limits.count(source), work);
  }
}

function resultOf(error: unknown): SignInResult {
  if (error instanceof SignInRefusedError) return 'refused';
  if (error instanceof CodeRequiredError) return 'code-required';
  return error instanceof TooManyRequestsError ? 'throttled' : 'failed';
}
