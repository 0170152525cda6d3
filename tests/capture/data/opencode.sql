-- OpenCode, both generations in one file, and tables that must not be read.
CREATE TABLE account (id TEXT PRIMARY KEY, access_token TEXT);
INSERT INTO account VALUES ('acc', 'never to be read');
CREATE TABLE credential (id TEXT PRIMARY KEY, value TEXT);
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT NOT NULL, title TEXT NOT NULL,
                      revert TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE session_v2 (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, time_updated INTEGER, data TEXT);

INSERT INTO session VALUES ('ses_1', 'p', NULL, '/work/go', 'Speed up the parser', '{"messageID":"msg_4"}', 1760000000000, 1760000009000);
INSERT INTO message VALUES
  ('msg_1', 'ses_1', 1760000001000, 1760000001000, '{"role":"user","time":{"created":1760000001000}}'),
  ('msg_2', 'ses_1', 1760000002000, 1760000003000, '{"role":"assistant","parentID":"msg_1","time":{"created":1760000002000}}'),
  ('msg_3', 'ses_1', 1760000004000, 1760000004000, '{"role":"assistant","summary":true,"time":{"created":1760000004000}}'),
  ('msg_4', 'ses_1', 1760000005000, 1760000005000, '{"role":"user","time":{"created":1760000005000}}'),
  ('msg_5', 'ses_1', 1760000006000, 1760000006000, '{"role":"assistant","time":{"created":1760000006000}}');
INSERT INTO part VALUES
  ('prt_1', 'msg_1', 'ses_1', 0, 0, '{"type":"text","text":"Why is the parser slow?"}'),
  ('prt_2', 'msg_1', 'ses_1', 0, 0, '{"type":"text","text":"Called the Read tool","synthetic":true}'),
  ('prt_3', 'msg_2', 'ses_1', 0, 0, '{"type":"step-start"}'),
  ('prt_4', 'msg_2', 'ses_1', 0, 0, '{"type":"reasoning","text":"hm"}'),
  ('prt_5', 'msg_2', 'ses_1', 0, 0, '{"type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{"command":"go test -bench ."},"output":"BenchmarkParse 12"}}'),
  ('prt_6', 'msg_2', 'ses_1', 0, 0, '{"type":"text","text":"It copies every line."}'),
  ('prt_7', 'msg_2', 'ses_1', 0, 0, '{"type":"tool","tool":"tallystick_recall_memory","callID":"d","state":{"status":"completed","input":{"data":{"query":"parser"}},"output":"old notes"}}'),
  ('prt_8', 'msg_3', 'ses_1', 0, 0, '{"type":"text","text":"Summary of all that was said"}'),
  ('prt_9', 'msg_4', 'ses_1', 0, 0, '{"type":"text","text":"Taken back"}'),
  ('prt_a', 'msg_5', 'ses_1', 0, 0, '{"type":"text","text":"Taken back too"}');

INSERT INTO session_v2 VALUES ('ses_2', 'ses_1', '/work/go', 'Benchmarks', 1770000000000, 1770000005000);
INSERT INTO session_message VALUES
  ('sm_1', 'ses_2', 'user', 1, 1770000001000, 1770000001000, '{"text":"Run the benchmarks","time":{"created":1770000001000}}'),
  ('sm_2', 'ses_2', 'synthetic', 2, 1770000001000, 1770000001000, '{"text":"injected","time":{"created":1770000001000}}'),
  ('sm_3', 'ses_2', 'shell', 3, 1770000002000, 1770000002000, '{"command":"make bench","output":"ok","time":{"created":1770000002000}}'),
  ('sm_4', 'ses_2', 'assistant', 4, 1770000003000, 1770000003000, '{"content":[{"type":"reasoning","text":"x"},{"type":"text","text":"Twice as fast."},{"type":"tool","name":"edit","state":{"status":"error","input":{"path":"p.go"},"content":[],"error":{"message":"denied"}}}],"time":{"created":1770000003000}}'),
  ('sm_5', 'ses_2', 'compaction', 5, 1770000004000, 1770000004000, '{"summary":"all","recent":"x"}'),
  ('sm_6', 'ses_2', 'dream', 6, 1770000004000, 1770000004000, '{}'),
  ('sm_7', 'ses_2', 'user', 7, 1770000004000, 1770000004000, '{"text":');
