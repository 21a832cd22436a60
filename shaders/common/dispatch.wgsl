// The index of an invocation's workgroup, undoing the tiling of dispatches that exceed the limit of one dimension
// (`gpu::Dispatch`).
#define_import_path nearwater::dispatch

fn workgroup_index(workgroup_id: vec3<u32>, workgroup_count: vec3<u32>) -> u32 {
    return workgroup_id.x + workgroup_id.y * workgroup_count.x;
}
