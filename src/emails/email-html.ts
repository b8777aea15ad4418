import { Injectable } from '@nestjs/common';
import { InvalidFieldError } from '../errors/domain-error.js';
import { InvalidMjmlError, isMjml } from '../rendering/mjml.js';
import { RenderingLimitError } from '../rendering/rendering-limit-error.js';
import { RenderingPool } from '../rendering/rendering-pool.js';

/** Turns `htmlContent` into the HTML that is stored and rendered. */
@Injectable()
export class EmailHtml {
  constructor(private readonly pool: RenderingPool) {}

  /** MJML comes out compiled, HTML as it is. @throws InvalidFieldError with the compiler's first message */
  async read(htmlContent: string): Promise<string> {
    if (!isMjml(htmlContent)) return htmlContent;
    try {
      return await this.pool.compileMjml(htmlContent);
    } catch (error) {
      if (error instanceof InvalidMjmlError)
        throw new InvalidFieldError('htmlContent', `is not valid MJML: ${error.message}`);
      if (error instanceof RenderingLimitError) throw new InvalidFieldError('htmlContent', error.message);
      throw error;
    }
  }
}
