import { canPass, client, hasStatus } from './api';
import type { Template, TemplateContent, TemplateDetail } from './types';

export function contentOf({ name, subject, htmlContent, textContent }: TemplateDetail): TemplateContent {
  return { name, subject, htmlContent, ...(textContent !== null && { textContent }) };
}

export function isSame(one: TemplateContent, other: TemplateContent): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Saves the versions of one template. */
export class TemplateSaves {
  /**
   * Each content that the service may have stored, because no response arrived, at least to one attempt: the client
   * library repeats them, and the last one can be refused without a word about the content.
   */
  private doubtful: readonly TemplateContent[] = [];

  constructor(private readonly id: string) {}

  /**
   * @param version the version that the content changes
   * @throws MailbeaconError with the status 409 if somebody else has saved a version meanwhile
   */
  async save(content: TemplateContent, version: number): Promise<Template> {
    try {
      return await this.send(content, version);
    } catch (error) {
      if (this.doubtful.length === 0 || !hasStatus(error, 409)) throw error;
      const newest = await client.templates.get(this.id);
      if (!this.isOwn(newest)) throw error;
      return this.send(content, newest.version);
    }
  }

  /** True for a version that was saved without a response: the next save changes it. */
  isOwn(newest: TemplateDetail): boolean {
    return this.isDoubtful(contentOf(newest));
  }

  private isDoubtful(content: TemplateContent): boolean {
    return this.doubtful.some((other) => isSame(other, content));
  }

  private async send(content: TemplateContent, version: number): Promise<Template> {
    try {
      const saved = await client.templates.change(this.id, { ...content, version });
      this.doubtful = [];
      return saved;
    } catch (error) {
      if (canPass(error) && !this.isDoubtful(content)) this.doubtful = [...this.doubtful, content];
      throw error;
    }
  }
}
