-- Cursor's global state: a key-value table, and settings with secrets in another one that must not be read.
CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', 'never to be read');
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
INSERT INTO cursorDiskKV VALUES
  ('composerData:c1', '{"_v":10,"composerId":"c1","name":"Rename the class","createdAt":1760000000000,"lastUpdatedAt":1760000009000,"subComposerIds":["c2"],"workspaceIdentifier":{"uri":{"fsPath":"/work/app"}},"fullConversationHeadersOnly":[{"bubbleId":"b1","type":1},{"bubbleId":"b2","type":2},{"bubbleId":"b3","type":2},{"bubbleId":"gone","type":2}]}'),
  ('bubbleId:c1:b2', '{"_v":3,"type":2,"bubbleId":"b2","text":"","createdAt":"2026-10-19T12:00:02Z","toolFormerData":{"name":"read_file","rawArgs":"{\"path\": \"a.py\"}","result":"class A: pass","status":"completed"}}'),
  ('bubbleId:c1:b1', '{"_v":3,"type":1,"bubbleId":"b1","text":"Rename class A to B","createdAt":"2026-10-19T12:00:01Z"}'),
  ('bubbleId:c1:b3', X'7B225F76223A332C2274797065223A322C22627562626C654964223A226233222C2274657874223A22446F6E652E222C2274686961223A317D'),
  ('bubbleId:c1:null', 'null'),
  ('composerData:c2', '{"composerId":"c2","createdAt":1760000001000,"conversation":[{"bubbleId":"x1","type":1,"text":"old inline form"},{"bubbleId":"x2","type":2,"text":"answer","thinking":{"text":"hm"}}]}'),
  ('composerData:77777777-7777-4777-8777-000000000000', '{"composerId":"77777777-7777-4777-8777-000000000000","fullConversationHeadersOnly":[]}'),
  ('checkpointId:c1:z', '{"files":[]}');
