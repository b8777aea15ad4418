import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Template } from './template.entity.js';

/** The content of a template from one change to the next. Versions never change. */
@Entity('template_versions')
@Index('template_versions_version', ['templateId', 'version'], { unique: true })
export class TemplateVersion {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @ForeignKey(() => Template, { name: 'template_versions_template_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'template_id' })
  templateId!: string;

  @Column({ type: 'integer' })
  version!: number;

  @Column({ type: 'text' })
  subject!: string;

  /** The original HTML or MJML. */
  @Column({ type: 'text', name: 'html_content' })
  htmlContent!: string;

  /** The HTML that the MJML compiles to, still with its variables. Null for HTML. */
  @Column({ type: 'text', name: 'compiled_html', nullable: true })
  compiledHtml!: string | null;

  @Column({ type: 'text', name: 'text_content', nullable: true })
  textContent!: string | null;

  /** The names of the variables that it reads. */
  @Column({ type: 'text', array: true })
  variables!: string[];

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
