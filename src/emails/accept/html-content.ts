import { Injectable } from '@nestjs/common';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { InvalidMjmlError, isMjml } from '../../rendering/mjml.js';
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
      if (error instanceof InvalidMjmlError)
        throw new InvalidFieldError('htmlContent', `is not valid MJML: ${error.message}`);
      throw renderingProblem(error);
    }
  }
}
