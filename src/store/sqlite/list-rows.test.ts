import { describe, expect, it } from 'vitest';
import type { ListQuery } from '../store.ts';
import { sqliteStore } from './index.ts';
import { listStatement } from './list-rows.ts';
import { openDatabaseNow } from './open-database.ts';

const plan = (query: Partial<ListQuery>): string[] => {
  const { connection } = openDatabaseNow(':memory:');
  const { sql, parameters } = listStatement({ table: 'interrupts', ...query }, 50);
  const steps = connection.all(`EXPLAIN QUERY PLAN ${sql}`, parameters).map((columns) => String(columns[3]));
  connection.close();
  return steps;
};

describe('a list', () => {
  it('walks along an index in its order', () => {
    const cursor = btoa(encodeURIComponent('[5,"7"]'));
    expect({
      scope: plan({ scope: 's' }),
      status: plan({ scope: 's', status: ['pending'], cursor }),
      due: plan({ scope: 's', status: ['pending'], order: 'due', dueBefore: 9 }),
      dueAfter: plan({ scope: 's', status: ['pending'], order: 'due', cursor }),
      dueOfAll: plan({ status: ['pending'], order: 'due', dueBefore: 9 }),
      thread: plan({ scope: 's', thread: 't' }),
      threadStatus: plan({ scope: 's', thread: 't', status: ['pending'] }),
      threadDue: plan({ scope: 's', thread: 't', status: ['pending'], order: 'due', cursor }),
      all: plan({}),
    }).toMatchInlineSnapshot(`
      {
        "all": [
          "SCAN rows",
        ],
        "due": [
          "SEARCH rows USING INDEX interrupts_scope_due (scope=? AND status=? AND due_at>? AND due_at<?)",
        ],
        "dueAfter": [
          "SEARCH rows USING INDEX interrupts_scope_due (scope=? AND status=? AND due_at>?)",
        ],
        "dueOfAll": [
          "SEARCH rows USING INDEX interrupts_due (status=? AND due_at>? AND due_at<?)",
        ],
        "scope": [
          "SEARCH rows USING INDEX interrupts_scope (scope=?)",
        ],
        "status": [
          "SEARCH rows USING INDEX interrupts_open (status=? AND scope=? AND place>?)",
        ],
        "thread": [
          "SEARCH rows USING INDEX rows_key (scope=? AND thread=? AND tbl=?)",
          "USE TEMP B-TREE FOR ORDER BY",
        ],
        "threadDue": [
          "SEARCH rows USING INDEX rows_key (scope=? AND thread=? AND tbl=?)",
          "USE TEMP B-TREE FOR ORDER BY",
        ],
        "threadStatus": [
          "SEARCH rows USING INDEX rows_key (scope=? AND thread=? AND tbl=?)",
          "USE TEMP B-TREE FOR ORDER BY",
        ],
      }
    `);
  });

  it('of threads walks along an index: to show them, to go on with them, to prune them', () => {
    const threads = (query: Partial<ListQuery>) => plan({ table: 'threads', ...query });
    expect({
      shown: threads({ scope: 's' }),
      due: threads({ status: ['active'], dueBefore: 9, order: 'due' }),
      idle: threads({ status: ['idle'], dueBefore: 9, order: 'due' }),
      failed: threads({ status: ['failed'] }),
      pruning: threads({ status: ['pruning'] }),
      grants: plan({ table: 'grants', scope: 's' }),
    }).toMatchInlineSnapshot(`
      {
        "due": [
          "SEARCH rows USING INDEX threads_due (status=? AND due_at>? AND due_at<?)",
        ],
        "failed": [
          "SEARCH rows USING INDEX threads_odd (status=?)",
        ],
        "grants": [
          "SEARCH rows USING INDEX grants_scope (scope=?)",
        ],
        "idle": [
          "SEARCH rows USING INDEX threads_due (status=? AND due_at>? AND due_at<?)",
        ],
        "pruning": [
          "SEARCH rows USING INDEX threads_odd (status=?)",
        ],
        "shown": [
          "SEARCH rows USING INDEX threads_scope (scope=?)",
        ],
      }
    `);
  });

  it('merges several states, each along an index', () => {
    expect(plan({ scope: 's', status: ['pending', 'answered'] })).toMatchInlineSnapshot(`
      [
        "MERGE (UNION ALL)",
        "LEFT",
        "SEARCH rows USING INDEX interrupts_open (status=? AND scope=?)",
        "RIGHT",
        "SEARCH rows USING INDEX interrupts_open (status=? AND scope=?)",
      ]
    `);
    expect(plan({ scope: 's', status: ['pending', 'answered'], order: 'due' })).toMatchInlineSnapshot(`
      [
        "MERGE (UNION ALL)",
        "LEFT",
        "SEARCH rows USING INDEX interrupts_scope_due (scope=? AND status=? AND due_at>?)",
        "RIGHT",
        "SEARCH rows USING INDEX interrupts_scope_due (scope=? AND status=? AND due_at>?)",
      ]
    `);
  });

  it('takes any number of states, and each only once', async () => {
    const store = sqliteStore(':memory:');
    const states = Array.from({ length: 20 }, (_, number) => `state-${number}`);
    for (const status of states) {
      const key = { scope: 's', thread: 't', id: status };
      await store.commit({ puts: [{ table: 'runs', key, doc: {}, index: { status } }] });
    }
    const found = async (status: string[]) =>
      (await store.list({ table: 'runs', scope: 's', status })).rows.map(({ key }) => key.id);
    expect(await found([...states, ...states])).toEqual(states);
    expect(await found(['state-3', 'state-1', 'state-3'])).toEqual(['state-1', 'state-3']);
    await store.close();
  });
});
