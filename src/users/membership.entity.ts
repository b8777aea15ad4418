import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../organizations/organization.entity.js';
import { isOneOf } from '../platform/database/one-of.js';
import { USER_ROLES, type UserRole } from './user-roles.js';
import { User } from './user.entity.js';

/** The role of a user in an organization. */
@Entity('memberships')
@Check('memberships_role', isOneOf('role', USER_ROLES))
export class Membership {
  @ForeignKey(() => User, { name: 'memberships_user_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'user_id' })
  userId!: string;

  @Index('memberships_organization_id')
  @ForeignKey(() => Organization, { name: 'memberships_organization_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column('text')
  role!: UserRole;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  /** When a session of the user first applied to the organization; until then, the user is only invited. */
  @Column({ type: 'timestamptz', name: 'joined_at', precision: 3, nullable: true })
  joinedAt!: Date | null;
}
