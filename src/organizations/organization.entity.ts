import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('organizations')
@Index('organizations_deleted_at', ['deletedAt'], { where: 'deleted_at is not null' })
export class Organization {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  /** Name of a plan in the PLANS setting. */
  @Column('text')
  plan!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  /** When an operator deleted it. A recurring job deletes its rows, this one last. */
  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
