import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import { isOneOf } from '../../platform/database/one-of.js';
import { ACTOR_KINDS, type ActorKind } from './record-audit.js';

/** One change: who did what to what. Append-only. Holds no email address and no secret. */
@Entity('audit_entries')
@Check('audit_entries_actor_kind', isOneOf('actor_kind', ACTOR_KINDS))
@Index('audit_entries_of_organization', ['organizationId', 'at', 'id'])
export class AuditEntry {
  @PrimaryColumn('uuid')
  id!: string;

  /** Null for an operator's change to the whole installation. No foreign key: entries outlive the organization. */
  @Column({ type: 'uuid', name: 'organization_id', nullable: true })
  organizationId!: string | null;

  @Index('audit_entries_at')
  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  at!: Date;

  @Column({ type: 'text', name: 'actor_kind' })
  actorKind!: ActorKind;

  @Column({ type: 'text', name: 'actor_id' })
  actorId!: string;

  @Column('text')
  action!: string;

  @Column({ type: 'text', name: 'target_kind' })
  targetKind!: string;

  @Column({ type: 'text', name: 'target_id', nullable: true })
  targetId!: string | null;

  @Column({ type: 'text', name: 'request_id', nullable: true })
  requestId!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  details!: Readonly<Record<string, unknown>> | null;
}
