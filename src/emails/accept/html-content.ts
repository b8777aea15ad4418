import { Injectable } from '@nestjs/common';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { InvalidMjmlError, isMjml, requireNoDroppedWords } from '../../rendering/mjml.js';
import { RenderBudget } from '../../organizations/budgets/render-budget.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { renderingProblem } from './rendering-problem.js';
import { RenderingPool } from '../../rendering/rendering-pool.js';

/** Converts `htmlContent` to the HTML that is stored and rendered. */
@Injectable()
export class EmailHtml {
  constructor(
    private readonly pool: RenderingPool,
    private readonly budget: RenderBudget,
  ) {}

  /**
   * Compiles MJML; returns HTML unchanged.
   * @throws InvalidFieldError with the compiler's first message, TooManyRenderingsError, BudgetExceededError
   */
  async read(caller: Caller, htmlContent: string): Promise<string> {
    if (!isMjml(htmlContent)) return htmlContent;
    try {
      return await this.budget.spend(caller, (requester) => this.pool.compileMjml(htmlContent, requester));
    } catch (error) {
      throw mjmlProblem(error);
    }
  }

  /**
   * Refuses MJML whose compiled HTML lacks some of its words. Only for messages that are written to be sent later: an
   * email that a program sends now is worth more than a word that was lost before, too.
   * @throws InvalidFieldError
   */
  requireAllWords(htmlContent: string): void {
    if (!isMjml(htmlContent)) return;
    try {
      requireNoDroppedWords(htmlContent);
    } catch (error) {
      throw mjmlProblem(error);
    }
  }
}

function mjmlProblem(error: unknown): unknown {
  if (!(error instanceof InvalidMjmlError)) return renderingProblem(error);
  return new InvalidFieldError('htmlContent', `is not valid MJML: ${error.message}`);
}
